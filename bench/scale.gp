# Time and memory against ranks: gnuplot -e "data = 'bench/scale.csv'" bench/scale.gp > docs/figures/scale.svg
set terminal svg size 576,288 background '#FFFFFF' font 'Times,10'
set datafile separator ','
set multiplot layout 1,2 margins 0.08,0.98,0.38,0.92 spacing 0.11
set border lw 0.6
set tics scale 0.5 nomirror
set grid lc rgb '#D9D9D9' lt 1 lw 0.4
set logscale x 2
set logscale y 10
set format x '2^{%L}'
set xlabel 'ranks' offset 0,0.5
set key at screen 0.46,0.03 center bottom vertical maxrows 3 samplen 2.5 noenhanced

of(algorithm, mode, k) = strcol(1) eq algorithm && strcol(2) eq mode ? column(k) : NaN

set title 'processor seconds' offset 0,-0.6
set format y '10^{%T}'
plot data using 3:(of('swing', 'no-symmetry', 6)) with linespoints lc rgb '#0072B2' dt 1 pt 7 ps 0.35 lw 1.2 title 'swing, every block', \
     data using 3:(of('ring', 'no-symmetry', 6)) with linespoints lc rgb '#D55E00' dt 2 pt 4 ps 0.35 lw 1.2 title 'ring, every block', \
     data using 3:(of('swing', 'symmetry', 6)) with linespoints lc rgb '#009E73' dt 4 pt 8 ps 0.35 lw 1.2 title 'swing, by symmetry', \
     data using 3:(of('ring', 'symmetry', 6)) with linespoints lc rgb '#CC79A7' dt 5 pt 12 ps 0.35 lw 1.2 title 'ring, by symmetry', \
     data using 3:(of('swing', 'no-symmetry', 8)) with lines lc rgb '#000000' dt 3 lw 1.2 title '8 bytes a block transfer, from memory'

set title 'peak memory, MiB' offset 0,-0.6
set format y '%g'
set yrange [1:*]
unset key
plot data using 3:(of('swing', 'no-symmetry', 7)) with linespoints lc rgb '#0072B2' dt 1 pt 7 ps 0.35 lw 1.2, \
     data using 3:(of('ring', 'no-symmetry', 7)) with linespoints lc rgb '#D55E00' dt 2 pt 4 ps 0.35 lw 1.2, \
     data using 3:(of('swing', 'symmetry', 7)) with linespoints lc rgb '#009E73' dt 4 pt 8 ps 0.35 lw 1.2, \
     data using 3:(of('ring', 'symmetry', 7)) with linespoints lc rgb '#CC79A7' dt 5 pt 12 ps 0.35 lw 1.2
