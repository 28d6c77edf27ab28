# The longest tests first, whether they compute or wait, so that none of them is
# left to run alone at the end: about how many seconds each takes in a whole run;
# those of Wine that share a registry run one after another, the first as long as all.
set(seconds
    attacks 120     attacks_shares 60  hosts_many 20
    sheet_limits 60   kernels 110     libreoffice 110
    wine_regions 110
    jobs 110        truth 100          first_run 90    no_space 40
    cli 30
    crash_calls 80  attacks_more 75    recording 75    style 70
    wine_provider 60 report_page 55    package 55      long_logs 50
    damage 50       repair 50          packer 50       import_windows 30
    pack_log 45     hardened 45        questions 45    wine_same 15
    own_io 40       packing 35         names 35        export 35
    examples 35     cut 35             wine_record 35  top 30
    crash_damage 30 linux_faults 30    crash_kill 30   push_engines 30
    blg_damage 25   push 25            strays 25       processes 25
    fleet 25        times 20           timing 20       hosts 20
    xlsx 20         table 20           pdh_in 20       blg 20
    crash_memory 20 crash_full_disk 20 completion 15   races 15
    identity_ended 30
    faults 15       identity 15        size 15         report 15
    reader_torn 15  hwinput 15         frame 10        walls 10)
while(seconds)
  list(POP_FRONT seconds name cost)
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES COST ${cost})
  endif()
endwhile()
